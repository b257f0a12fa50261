/** Returns random bytes: from the operating system, except in tests. */
export type RandomBytes = (count: number) => Uint8Array

export interface Range {
  /** The declared range of outcomes; 0 to 1 by default. */
  low?: number
  high?: number
}

export interface Terms extends Range {
  algorithm?: 'local-greedy' | 'local-linucb'
  /** The number of features of an arm. */
  dimension: number
  epsilon: number
  /** The maximum length of a context; 1 by default. */
  norm?: number
}

export interface DeviceOptions {
  /** Clip outcomes outside the range and shorten long contexts, instead of refusing them. */
  clip?: boolean
  random?: RandomBytes
}

/** The minimum probability of either answer, 1 / (1 + e^epsilon), in units of 2^-62, rounded up. */
export function leastShare(epsilon: number): bigint
/** Randomised response about one number: true stands for the upper of two values. */
export function respond(
  value: number,
  options: Range & { epsilon: number; random?: RandomBytes },
): boolean
/** The two values that an answer stands for, lower first: their expectation is the true value. */
export function responseValues(options: Range & { epsilon: number }): [number, number]

/** The length of a report in bytes. */
export const REPORT_SIZE: number

/** A round between choice and report: raw data, which must not leave the device. */
export interface Round {
  model: Uint8Array
  features: number[]
}

/** Chooses with a published model, and reports the outcome once, with exact noise. */
export class Device {
  /** Return a device; its settings must match those of the server. */
  static create(options: Terms & DeviceOptions): Promise<Device>
  private constructor()
  /** The version of the current model, or null. */
  readonly version: number | null
  /** Use a newly published model; the open round keeps its own. */
  update(model: Uint8Array): void
  /** Return the arm to play, given one row of features per arm; forget an open round. */
  choose(contexts: Iterable<ArrayLike<number>>): number
  /** Return the report of the open round, once; the round is forgotten in any case. */
  report(reward: number): Uint8Array
  /** Return the open round, to be stored on this device, and forget it here. */
  takeRound(): Round
  /** Return a report of a round that was taken. Never call it twice for the same round. */
  reportOf(round: Round, reward: number): Uint8Array
  /** Throw an error if a reward is not valid. */
  check(reward: number): void
}

/** The normal numbers that a seed stands for. */
export function directionOf(seed: Uint8Array, dimension: number): Float64Array
/** 17 bytes about a vector of length at most 1: a seed, and a bit. */
export function encode(vector: Float64Array, epsilon: number, random?: RandomBytes): Uint8Array
/** SHAKE-256 of a message of less than 136 bytes. */
export function shake256(message: Uint8Array, length: number): Uint8Array

/** Where rounds and reports are stored. */
export interface Store {
  /** Replace the value of a key by change(value), in one transaction; null removes it. */
  update<Value>(key: string, change: (value: Value | null) => Value | null): Promise<Value | null>
  /** All pairs of key and value, in the order of keys. */
  entries(): Promise<[string, any][]>
}

/** Keeps values until the page is closed. */
export class MemoryStore implements Store {
  update<Value>(key: string, change: (value: Value | null) => Value | null): Promise<Value | null>
  entries(): Promise<[string, any][]>
}

/** Keeps values in IndexedDB: they survive the page, and several tabs can share them safely. */
export class BrowserStore implements Store {
  constructor(name?: string)
  update<Value>(key: string, change: (value: Value | null) => Value | null): Promise<Value | null>
  entries(): Promise<[string, any][]>
}

export interface ReporterOptions {
  device: Device
  /** True once the server has the report, false if it refuses it permanently; throws to retry. */
  send: (report: Uint8Array) => Promise<boolean>
  /** Milliseconds from a choice to its report, whether or not there was an outcome. */
  wait: number
  /** What a missing outcome counts as. */
  defaultReward: number
  store?: Store
  /** The maximum number of reports of this device: each costs epsilon. */
  maxReports?: number
  clock?: () => number
}

/** Plays rounds with a device and delivers their reports: each is drawn once, at a fixed time. */
export class Reporter {
  constructor(options: ReporterOptions)
  /** Choose an arm; the round is null if the budget is used up. */
  choose(contexts: Iterable<ArrayLike<number>>): Promise<{ arm: number; round: string | null }>
  /** Store the outcome of a round until its deadline; late and repeated outcomes are ignored. */
  tell(round: string | null, reward: number): Promise<void>
  /** Draw and send the reports that are due; return how many were delivered. */
  deliver(): Promise<number>
  /** When the next report is due, in milliseconds since 1970; null if none is. */
  nextDue(): Promise<number | null>
}

/** A `send` that posts reports to an address. */
export function sendTo(url: string | URL, options?: RequestInit): (report: Uint8Array) => Promise<boolean>
