import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { dataFolder } from './documentdb/chroot';
import { homeFrom } from './home';
import { startMongodb, stopMongodb } from './mongodb';
import { isRunning } from './processes';
import { Progress } from './progress';
import { StackUnavailable } from './stack-unavailable';
import { parseProcess, readState } from './state-file';
import { typescriptProgram } from './typescript-program';

const shared = homeFrom(process.env);
const { mongodb } = readState(shared.stateFile);
const { PATH = '' } = process.env;

/** The proxy of the test stack plays mongod: it refuses a client without its password in the same way. */
(mongodb?.proxy ? describe : describe.skip)('mongod with the data of another password', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mongod-'));
  const home = homeFrom({ LOCAL_STACK_HOME: join(folder, 'home'), LOCAL_STACK_PROGRAMS: shared.programs });

  beforeAll(() => {
    for (const path of [home.path, home.logs]) mkdirSync(path);
    writeFileSync(join(folder, 'other-password'), 'other');
    const proxy = typescriptProgram(join(__dirname, 'documentdb', 'proxy', 'main.ts'));
    const postgres = [dataFolder(shared), String(mongodb?.server.port)];
    // mongod --auth --dbpath <folder> --port <port> --bind_ip 127.0.0.1
    const command = [...proxy, '$5', ...postgres, 'messaging-gateway', join(folder, 'other-password'), '$3'];
    const quoted = command.map((argument) => `"${argument}"`).join(' ');
    writeFileSync(join(folder, 'mongod'), `#!/bin/sh\nexec ${quoted}\n`);
    chmodSync(join(folder, 'mongod'), 0o755);
    process.env.PATH = [folder, PATH].join(delimiter);
  });
  afterAll(async () => {
    process.env.PATH = PATH;
    await stopMongodb(home, undefined);
    rmSync(folder, { recursive: true });
  });

  it('is stopped, and no other database is started instead', async () => {
    const started = startMongodb(home, undefined, new Progress('MongoDB', { write: () => true }));
    await expect(started).rejects.toThrow(StackUnavailable);
    await expect(started).rejects.toThrow(
      `No MongoDB: the data in ${home.mongodbData} was created with another password than the one in ${home.path}/mongodb-password. Restore that file, or remove`,
    );
    const recorded = parseProcess(JSON.parse(readFileSync(join(home.path, 'mongod.pid'), 'utf8')));
    expect(await isRunning(recorded?.pid ?? 0, home.mongodbData)).toBe(false);
    expect(existsSync(home.documentdbData ?? '')).toBe(false);
  });
});
