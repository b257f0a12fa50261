// The same numbers as in Python: vectors.json is written by make_vectors.py.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { checkVectors } from './check_vectors.js'

test('all vectors agree', async () => {
  const vectors = JSON.parse(readFileSync(new URL('./vectors.json', import.meta.url)))
  const { checked, wrong } = await checkVectors(vectors)
  assert.deepEqual(wrong, [])
  assert.ok(checked > 330)
})
