import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Schema } from 'mongoose';

const SRC = join(__dirname, '..', '..');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.schema.ts'),
);

function schemasOf(file: string): Schema[] {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- every file there is, whatever its name
  const exported = require(join(SRC, file)) as Record<string, unknown>;
  return Object.values(exported).filter((value): value is Schema => value instanceof Schema);
}

/** What a schema promises of its documents and no write checks: see docs/build/adr/0017. */
function claimsOf(schema: Schema): string[] {
  const claims: string[] = [];
  schema.eachPath((path, type) => {
    const { default: value, lowercase, uppercase, trim, immutable } = type.options as Record<string, unknown>;
    if (type.validators.length > 0) claims.push(`${path} is validated`);
    if (value !== undefined) claims.push(`${path} has a default`);
    if (lowercase ?? uppercase ?? trim ?? immutable) claims.push(`${path} is changed or protected`);
  });
  return claims;
}

describe('schemas', () => {
  it('are the files with that name', () => {
    expect(files.length).toBeGreaterThan(10);
  });

  it.each(files)('%s claims nothing that writes do not check', (file) => {
    const schemas = schemasOf(file);
    expect(schemas.length).toBeGreaterThan(0);
    expect(schemas.flatMap(claimsOf)).toEqual([]);
  });

  it('are told apart from those that claim something', () => {
    const claiming = new Schema({
      a: { type: String, required: true },
      b: { type: String, enum: ['x'] },
      c: { type: Number, min: 1 },
      d: { type: Number, default: 0 },
      e: { type: String, lowercase: true },
      f: { type: [String], default: undefined },
    });
    expect(claimsOf(claiming)).toHaveLength(5);
  });
});
