// Reports about vectors of length at most 1: a random direction, and one bit that says which side.

import { HALF, WHOLE, leastShare, rint, systemBytes, wholeNumber } from './coins.js'
import { shake256 } from './shake.js'

export const SEED = 16 // bytes

export function dot(one, other) {
  let sum = 0
  for (let i = 0; i < one.length; i++) sum += one[i] * other[i]
  return sum
}

/** Return the normal numbers that a seed stands for. */
export function directionOf(seed, dimension) {
  const pairs = Math.ceil(dimension / 2)
  const words = new DataView(shake256(seed, 16 * pairs).buffer)
  const uniform = (at) => (Number(words.getBigUint64(at, true) >> 11n) + 0.5) * 2 ** -53
  const numbers = new Float64Array(2 * pairs)
  for (let i = 0; i < pairs; i++) {
    const radius = Math.sqrt(-2 * Math.log(uniform(16 * i)))
    const angle = 2 * Math.PI * uniform(16 * i + 8)
    numbers[2 * i] = radius * Math.cos(angle)
    numbers[2 * i + 1] = radius * Math.sin(angle)
  }
  return numbers.subarray(0, dimension)
}

/**
 * Return 17 bytes about a vector of length at most 1: a seed, and a bit.
 *
 * The seed does not depend on the vector, and given the seed each bit has a probability of at least
 * 1 / (1 + e^epsilon): so the report is epsilon-differentially private, whatever rounding does.
 */
export function encode(vector, epsilon, random = systemBytes) {
  const seed = random(SEED)
  const least = leastShare(epsilon)
  const norm = Math.sqrt(dot(vector, vector))
  const length = norm >= 0 ? Math.min(1, norm) : 0
  let limit = HALF + BigInt(rint(length * Number(HALF - least)))
  if (limit > WHOLE - least) limit = WHOLE - least
  const towards = wholeNumber(random(8)) < limit
  const upper = dot(directionOf(seed, vector.length), vector) >= 0 === towards
  const report = new Uint8Array(SEED + 1)
  report.set(seed)
  report[SEED] = Number(upper)
  return report
}
