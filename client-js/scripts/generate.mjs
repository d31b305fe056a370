// Writes src/protocol.ts from docs/wires/session.schema.json, or prints it with --print. HOLDFAST_SCHEMA names another place of the schema.

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';

const script = fileURLToPath(import.meta.url);

export const schemaPath = () => process.env.HOLDFAST_SCHEMA ?? resolve(script, '../../../docs/wires/session.schema.json');

export const targetPath = resolve(script, '../../src/protocol.ts');

/** A schema that says nothing but what a value is for takes any value. */
function withUnknown(node) {
  for (const each of Object.values(node)) {
    if (typeof each === 'object' && each !== null) {
      if (Object.keys(each).every(key => key === 'description') && !Array.isArray(each)) {
        each.tsType = 'unknown';
      }
      withUnknown(each);
    }
  }
}

export async function generate() {
  const schema = JSON.parse(await readFile(schemaPath(), 'utf8'));
  withUnknown(schema.$defs);
  const results = Object.keys(schema.$defs).filter(name => name.endsWith('Result') || name === 'Receipt');
  const oneOf = [...schema.oneOf, ...results.map(name => ({ $ref: `#/$defs/${name}` }))];
  return compile({ ...schema, title: 'AnyMessage', oneOf }, 'AnyMessage', {
    additionalProperties: false, // those of the schema; others are passed over
    bannerComment: '// Made from docs/wires/session.schema.json by "npm run generate". Do not edit.',
    style: { singleQuote: true, printWidth: 120 },
    ignoreMinAndMaxItems: true,
  });
}

if (process.argv[1] && resolve(process.argv[1]) === script) {
  const text = await generate();
  if (process.argv.includes('--print')) {
    process.stdout.write(text);
  } else {
    await writeFile(targetPath, text);
  }
}
