// The device's half of local privacy. No dependencies; all random bytes come from WebCrypto.

export { leastShare, respond, responseValues } from './coins.js'
export { Device, REPORT_SIZE } from './device.js'
export { directionOf, encode } from './directions.js'
export { Reporter, sendTo } from './reporter.js'
export { shake256 } from './shake.js'
export { BrowserStore, MemoryStore } from './stores.js'
