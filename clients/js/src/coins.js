// Exact coins, tossed with 62-bit integers from the operating system, with the same work for all
// values.

const BITS = 62n
export const WHOLE = 1n << BITS
export const HALF = WHOLE / 2n
const SHARE = 2 ** 52 // a value as a share of its range, in steps of 2^-52
const SHARE_BITS = 52n

/** Random bytes from the operating system. */
export const systemBytes = (count) => crypto.getRandomValues(new Uint8Array(count))

/** Return a whole number below 2^62, from eight random bytes. */
export function wholeNumber(bytes) {
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  return number >> 2n
}

/** Return the nearest whole number of 0 <= x <= 2^62, ties to even. */
export const rint = (x) => (x < SHARE ? x + SHARE - SHARE : x)

/**
 * Return the minimum probability of either answer, 1 / (1 + e^epsilon), in units of 2^-62.
 *
 * It is rounded up, with room for the error of exp.
 */
export function leastShare(epsilon) {
  if (typeof epsilon !== 'number' || !(epsilon > 0)) {
    throw new RangeError(`epsilon is ${epsilon}, but must be a positive number.`)
  }
  const share = Number(WHOLE) / (1 + Math.exp(Math.min(epsilon, 700)))
  const least = BigInt(Math.ceil(share * (1 + 1e-14))) + 1n
  return least < HALF ? least : HALF
}

/** Return a range, or refuse it. */
export function checkRange(low, high) {
  const width = high - low
  if (!Number.isFinite(low) || !Number.isFinite(high) || !(width >= 1e-100 && width <= 1e100)) {
    throw new RangeError(`low is ${low} and high is ${high}, but low must be below high.`)
  }
  return { low, high }
}

/** Return the nearest number from low to high; low for NaN. */
export const clamp = (value, low, high) =>
  [low, value, high][Number(value >= low) + Number(value > high)]

/** Return where a number lies in its range, from 0 to 1. */
export const fraction = (value, { low, high }) =>
  clamp((clamp(value, low, high) - low) * (1 / (high - low)), 0, 1)

/**
 * Randomised response about one number: true stands for the upper of two values.
 *
 * Each answer is epsilon-differentially private. Respond once per number: two answers about one
 * number cost twice the epsilon.
 */
export function respond(value, { epsilon, low = 0, high = 1, random = systemBytes }) {
  const range = checkRange(low, high)
  if (!Number.isFinite(value)) throw new RangeError('the value is not a finite number.')
  const least = leastShare(epsilon)
  const span = WHOLE - 2n * least
  const drawn = ((wholeNumber(random(8)) - least) << SHARE_BITS) + (span << SHARE_BITS)
  // Between 2^52 and 2^53 all whole numbers have 53 bits, and adding rounds to one of them.
  return drawn < BigInt(fraction(value, range) * SHARE + SHARE) * span
}

/** Return the two values that an answer stands for: their expectation is the true value. */
export function responseValues({ epsilon, low = 0, high = 1 }) {
  const { low: least, high: most } = checkRange(low, high)
  const reach = (0.5 * (most - least)) / Math.tanh(0.5 * epsilon)
  return [0.5 * (least + most) - reach, 0.5 * (least + most) + reach]
}
