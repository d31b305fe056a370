import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { schemaPath } from '../../scripts/generate.mjs';

const schema = JSON.parse(readFileSync(schemaPath(), 'utf8'));
const ajv = new Ajv2020({ allErrors: true, strict: false });
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;
addFormats(ajv);
ajv.addSchema(schema, 'session');

/** Throws unless the value is what the schema says. */
export function check(definition: string, value: unknown): void {
  const validate = ajv.getSchema(`session#/$defs/${definition}`);
  if (validate === undefined) {
    throw new Error(`The schema has no ${definition}`);
  }
  if (validate(JSON.parse(JSON.stringify(value))) !== true) {
    throw new Error(`no ${definition}: ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`);
  }
}
