import { MongoBinary } from 'mongodb-memory-server-core';
import { writeFileSync } from 'node:fs';

/** Downloads mongod into a folder and writes its path to a file: `download-mongod.ts <folder> <file>`. */
async function main(): Promise<void> {
  const [downloadDir, note] = process.argv.slice(2);
  if (downloadDir === undefined || note === undefined)
    throw new Error('Usage: download-mongod.ts <folder> <file>');
  writeFileSync(note, await MongoBinary.getPath({ downloadDir }));
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
