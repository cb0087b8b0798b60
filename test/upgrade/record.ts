/** Records the data and responses of a version: `npm run upgrade:record -- <a checkout of that version>`. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mongo, Types } from 'mongoose';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { ROOT } from '../support/checkout';
import { TestClient } from '../support/client';
import { RunningProgram } from '../support/running-program';
import { newStore } from '../support/test-store';
import { WebhookReceiver } from '../support/webhook-receiver';
import { fill, pathsOf } from './fill';
import { readCollections, writeSnapshot } from './snapshot';

async function main(): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument === undefined) throw new Error('Name a checkout of the version to record');
  const checkout = resolve(argument);
  build(checkout);
  const store = newStore();
  const receiver = await WebhookReceiver.start();
  const PORT = String(await freePort());
  const apiKey = `mgw_${randomBytes(24).toString('base64url')}`;
  const start = () =>
    RunningProgram.start('exec node dist/main.js', checkout, {
      ...store.environment,
      PORT,
      HOST: '127.0.0.1',
      BOOTSTRAP_EMAIL: 'owner@example.com',
      BOOTSTRAP_API_KEY: apiKey,
      ALLOW_REGISTRATION: 'true',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32',
    });
  let program = start();
  try {
    await program.waitForOutput(/Ready as/);
    const url = `http://127.0.0.1:${PORT}`;
    const mailedCode = async (email: string) => {
      const mail = new RegExp(`To: ${email}[^]*?\\b([0-9A-Z]{5}-[0-9A-Z]{5})\\b`);
      await program.waitForOutput(mail);
      return mail.exec(program.output)?.[1] ?? '';
    };
    const installation = await fill({ url, webhookUrl: receiver.url, mailedCode });
    // It stores some records late, such as the last call of a phone, and all when it stops.
    await program.stop();
    program = start();
    await program.waitForOutput(/Ready as/);
    const client = new TestClient(url, installation.apiKey, new Types.ObjectId());
    const answers: Record<string, object> = {};
    for (const path of pathsOf(installation)) {
      const answer = await client.get(path);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      answers[path] = answer.body as object;
    }
    await program.stop();
    const { MONGODB_URI = '', MONGODB_DATABASE, TOKEN_SECRET = '', ENCRYPTION_KEYS = '' } = store.environment;
    const mongodb = await mongo.MongoClient.connect(MONGODB_URI);
    const collections = await readCollections(mongodb.db(MONGODB_DATABASE));
    await mongodb.close();
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      version: string;
    };
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim();
    const environment = { TOKEN_SECRET, ENCRYPTION_KEYS };
    const recordedAt = new Date();
    const file = writeSnapshot({
      version,
      commit,
      recordedAt,
      environment,
      installation,
      answers,
      collections,
    });
    process.stdout.write(`${file}\n`);
  } finally {
    await program.stop();
    await receiver.stop();
    await store.drop();
  }
}

/** Uses the packages of this checkout if the other one has none. */
function build(checkout: string): void {
  const packages = join(checkout, 'node_modules');
  if (!existsSync(packages)) symlinkSync(join(ROOT, 'node_modules'), packages);
  execFileSync(join(ROOT, 'node_modules', '.bin', 'nest'), ['build'], { cwd: checkout, stdio: 'inherit' });
}

main().catch((failure: unknown) => {
  process.stderr.write(`${String(failure)}\n`);
  process.exitCode = 1;
});
