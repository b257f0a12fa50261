// Where a device keeps its rounds and reports: in memory, or in the browser's database.

/** Keeps values until the page is closed. */
export class MemoryStore {
  #values = new Map()

  /** Replace the value of a key by change(value), without a pause in between; null removes it. */
  async update(key, change) {
    const value = change(this.#values.get(key) ?? null)
    if (value === null) this.#values.delete(key)
    else this.#values.set(key, structuredClone(value))
    return value
  }

  /** Return all pairs of key and value, in the order of keys. */
  async entries() {
    return [...this.#values].sort(([one], [other]) => (one < other ? -1 : 1))
  }
}

/** Keeps values in IndexedDB: they survive the page, and several tabs can share them safely. */
export class BrowserStore {
  #name
  #opened = null

  constructor(name = 'discreet') {
    this.#name = name
  }

  async #database() {
    this.#opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1)
      request.onupgradeneeded = () => request.result.createObjectStore('rounds')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    return this.#opened
  }

  /** Replace the value of a key in one transaction; when it returns, the value is on the disk. */
  async update(key, change) {
    const database = await this.#database()
    return new Promise((resolve, reject) => {
      const transaction = database.transaction('rounds', 'readwrite', { durability: 'strict' })
      const table = transaction.objectStore('rounds')
      const request = table.get(key)
      let value = null
      request.onsuccess = () => {
        try {
          value = change(request.result ?? null)
          if (value === null) table.delete(key)
          else table.put(value, key)
        } catch (error) {
          transaction.abort()
          reject(error)
        }
      }
      transaction.oncomplete = () => resolve(value)
      transaction.onabort = () => reject(transaction.error ?? new Error('nothing was changed.'))
    })
  }

  /** Return all pairs of key and value, in the order of keys. */
  async entries() {
    const database = await this.#database()
    return new Promise((resolve, reject) => {
      const found = []
      const request = database.transaction('rounds').objectStore('rounds').openCursor()
      request.onsuccess = () => {
        const cursor = request.result
        if (!cursor) return resolve(found)
        found.push([cursor.key, cursor.value])
        cursor.continue()
      }
      request.onerror = () => reject(request.error)
    })
  }
}
