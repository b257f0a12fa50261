// Types describe what is exported.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as client from '../src/index.js'

test('every export has a type', () => {
  const types = readFileSync(new URL('../src/index.d.ts', import.meta.url), 'utf8')
  const typed = [...types.matchAll(/^export (?:class|function|const) (\w+)/gm)].map((found) => found[1])
  assert.deepEqual(typed.sort(), Object.keys(client).sort())
})

test('every public method has a type', () => {
  const types = readFileSync(new URL('../src/index.d.ts', import.meta.url), 'utf8')
  for (const name of ['Device', 'Reporter', 'MemoryStore', 'BrowserStore']) {
    const body = types.slice(types.indexOf(`export class ${name}`)).split('\n}')[0]
    for (const method of Object.getOwnPropertyNames(client[name].prototype)) {
      if (method !== 'constructor') assert.match(body, new RegExp(`\\b${method}\\b`), `${name}.${method}`)
    }
  }
})
