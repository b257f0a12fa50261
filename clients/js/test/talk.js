// Plays rounds for a server in another program: a line of JSON in, a line out.

import { createInterface } from 'node:readline'
import { Device } from '../src/index.js'

const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'))
let device = null

for await (const line of createInterface({ input: process.stdin })) {
  const { terms, model, contexts, reward } = JSON.parse(line)
  device = terms ? await Device.create(terms) : device
  device.update(bytesOf(model))
  const arm = device.choose(contexts)
  const report = Buffer.from(device.report(reward)).toString('hex')
  console.log(JSON.stringify({ arm, report }))
}
