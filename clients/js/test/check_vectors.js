// Compares this client with vectors written by Python; runs in node and in browsers.

import { Device, directionOf, encode, leastShare, respond, shake256 } from '../src/index.js'

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16))
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Return random bytes that were given in advance. */
export const drawn = (...parts) => {
  const rest = parts.map(bytesOf)
  return (count) => {
    const next = rest.shift()
    if (next.length !== count) throw new Error(`asked for ${count} bytes, not ${next.length}`)
    return next
  }
}

/** Return how many vectors were compared, and what is wrong. */
export async function checkVectors(vectors) {
  const wrong = []
  let checked = 0
  const check = (holds, what) => {
    checked += 1
    if (!holds) wrong.push(what)
  }
  for (const [epsilon, least] of vectors.least) {
    check(String(leastShare(epsilon)) === least, `least share for ${epsilon}`)
  }
  for (const [message, digest] of vectors.shake) {
    check(hexOf(shake256(bytesOf(message), 300)) === digest, `SHAKE-256 of ${message}`)
  }
  for (const [low, high, value, epsilon, coin, upper] of vectors.respond) {
    const answer = respond(value, { low, high, epsilon, random: drawn(coin) })
    check(answer === upper, `response about ${value} in ${low} to ${high}`)
  }
  for (const [vector, epsilon, seed, coin, report, direction] of vectors.encode) {
    const found = directionOf(bytesOf(seed), vector.length)
    const close = found.every((z, i) => Math.abs(z - direction[i]) <= 1e-12 * Math.max(1, Math.abs(z)))
    check(close, `direction of ${seed}`)
    const sent = encode(Float64Array.from(vector), epsilon, drawn(seed, coin))
    check(hexOf(sent) === report, `report with ${seed}`)
  }
  for (const [terms, digest, model] of vectors.tasks) {
    const device = await Device.create(terms)
    device.update(bytesOf(model)) // refuses another digest
    device.choose([Array(terms.dimension).fill(0), Array(terms.dimension).fill(0)])
    check(hexOf(device.report(terms.low)).slice(6, 22) === digest, `task ${JSON.stringify(terms)}`)
  }
  return { checked, wrong }
}
