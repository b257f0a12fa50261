// Rounds: each report is drawn once, stored before it is sent, and sent at a time fixed before.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Device, MemoryStore, Reporter, REPORT_SIZE, responseValues } from '../src/index.js'

const vectors = JSON.parse(readFileSync(new URL('./vectors.json', import.meta.url)))
const [terms, , model] = vectors.tasks[0]
const MODEL = Uint8Array.from(Buffer.from(model, 'hex'))
const CONTEXTS = [
  [0.6, 0.2],
  [0.1, 0.9],
]

async function makeDevice(options = {}) {
  const device = await Device.create({ ...terms, ...options })
  device.update(MODEL)
  return device
}

async function makeReporter(options = {}) {
  const time = { now: 1_000_000 }
  const sent = []
  const send = async (report) => sent.push(report) > 0
  const clock = () => time.now
  const device = await makeDevice()
  const store = new MemoryStore()
  const settings = { device, send, wait: 100, defaultReward: 0, store, clock, ...options }
  return { reporter: new Reporter(settings), settings, sent, time }
}

test('a device reports a round once', async () => {
  const device = await makeDevice()
  assert.throws(() => device.report(1), /no round is open/)
  device.choose(CONTEXTS)
  assert.equal(device.report(1).length, REPORT_SIZE)
  assert.throws(() => device.report(1), /no round is open/)
  device.choose(CONTEXTS)
  assert.throws(() => device.report(2), /outside the declared range 0 to 1/)
  assert.throws(() => device.report(1), /no round is open/, 'it is forgotten in any case')
})

test('bad input is refused in one sentence', async () => {
  const device = await makeDevice()
  const refused = [
    [() => device.choose([[1, 0]]), /at least 2 rows of 2 features/],
    [() => device.choose([[1, 0], [NaN, 0]]), /not finite/],
    [() => device.choose([[1, 1], [0, 0]]), /longer than the declared norm 1/],
    [() => device.update(MODEL.slice(1)), /bytes, but must have/],
    [() => device.update(MODEL.map((byte, i) => (i === 5 ? byte ^ 1 : byte))), /another task/],
    [() => device.update([1, 2]), /must be a Uint8Array/],
  ]
  for (const [call, message] of refused) assert.throws(call, message)
  await assert.rejects(Device.create({ ...terms, epsilon: 0 }), /epsilon is 0/)
  await assert.rejects(Device.create({ ...terms, dimension: 1.5 }), /dimension is 1.5/)
  await assert.rejects(Device.create({ ...terms, algorithm: 'exp3' }), /algorithm is exp3/)
  await assert.rejects(Device.create({ ...terms, low: 1, high: 0 }), /low must be below high/)
  const clipping = await makeDevice({ clip: true })
  clipping.choose([[3, 4], [0, 0]])
  assert.equal(clipping.report(7).length, REPORT_SIZE)
})

test('an outcome is sent at its deadline, and so is silence', async () => {
  const { reporter, sent, time } = await makeReporter()
  const told = await reporter.choose(CONTEXTS)
  await reporter.choose(CONTEXTS)
  await reporter.tell(told.round, 1)
  assert.equal(await reporter.deliver(), 0)
  assert.equal(await reporter.nextDue(), time.now + 100)
  time.now += 100
  assert.equal(await reporter.deliver(), 2)
  assert.equal(sent.length, 2)
  assert.equal(await reporter.nextDue(), null)
  await reporter.tell(told.round, 1) // late: it changes nothing
  assert.equal(await reporter.deliver(), 0)
})

test('a report that could not be sent is sent again, with the same bytes', async () => {
  let failures = 3
  const tried = []
  const send = async (report) => {
    tried.push(Buffer.from(report).toString('hex'))
    if (failures-- > 0) throw new Error('offline')
    return true
  }
  const { reporter, settings, time } = await makeReporter({ send })
  await reporter.choose(CONTEXTS)
  time.now += 100
  for (let i = 0; i < 3; i++) await assert.rejects(reporter.deliver(), /offline/)
  const reopened = new Reporter(settings) // the page was loaded again
  assert.equal(await reopened.deliver(), 1)
  assert.equal(tried.length, 4)
  assert.equal(new Set(tried).size, 1)
})

test('a report is in the store before it is sent, and the raw round is not', async () => {
  const store = new MemoryStore()
  const seen = []
  const send = async () => seen.push((await store.entries()).map(([, kept]) => kept)) > 0
  const { reporter, time } = await makeReporter({ store, send })
  const { round } = await reporter.choose(CONTEXTS)
  await reporter.tell(round, 1)
  time.now += 100
  await reporter.deliver()
  const [[kept]] = seen
  assert.equal(kept.report.length, REPORT_SIZE)
  assert.deepEqual(Object.keys(kept).sort(), ['due', 'report'])
  assert.deepEqual(await store.entries(), [])
})

test('the first outcome counts, and it survives a reload', async () => {
  const { reporter, settings } = await makeReporter()
  const { round } = await reporter.choose(CONTEXTS)
  await reporter.tell(round, 1)
  await new Reporter(settings).tell(round, 0)
  const [[, kept]] = await settings.store.entries()
  assert.equal(kept.reward, 1)
})

test('the budget ends reports, not choices', async () => {
  const { reporter, sent, time } = await makeReporter({ maxReports: 2 })
  const rounds = []
  for (let i = 0; i < 4; i++) rounds.push((await reporter.choose(CONTEXTS)).round)
  assert.deepEqual(rounds.map((round) => round === null), [false, false, true, true])
  await reporter.tell(null, 1)
  time.now += 100
  assert.equal(await reporter.deliver(), 2)
  assert.equal(sent.length, 2)
})

test('a refused report is dropped, and is not counted as delivered', async () => {
  const { reporter, settings, time } = await makeReporter({ send: async () => false })
  await reporter.choose(CONTEXTS)
  time.now += 100
  assert.equal(await reporter.deliver(), 0)
  assert.deepEqual(await settings.store.entries(), [])
})

test('the two values of a response have the value as mean', () => {
  const [lower, upper] = responseValues({ epsilon: 1 })
  assert.ok(Math.abs(lower + 0.58197670686932646) < 1e-12 && Math.abs(upper - 1.5819767068693265) < 1e-12)
})
