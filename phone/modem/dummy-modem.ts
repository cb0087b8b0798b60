import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'libsql';
import { encodeSms } from './sms-parts';

const SCHEMA = '/usr/share/doc/gammu-smsd/examples/sqlite.sql';
const INBOX = '1';

type Row = Readonly<Record<string, unknown>>;

/** A real gammu-smsd for tests, whose modem is gammu's dummy driver: a folder. */
export class DummyModem {
  readonly folder: string;
  /** Its configuration. */
  readonly file: string;
  private readonly device: string;
  private readonly databaseFile: string;
  private daemon: ChildProcess | undefined;
  private received = 0;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'dummy-modem-'));
    this.file = join(this.folder, 'smsdrc');
    this.device = join(this.folder, 'device');
    this.databaseFile = join(this.folder, 'smsd.db');
    for (const name of ['1', '2', '3', '4', '5'])
      mkdirSync(join(this.device, 'sms', name), { recursive: true });
    writeFileSync(this.file, this.configuration());
    const database = new Database(this.databaseFile);
    database.exec(schema());
    database.close();
  }

  /** Resolves when the daemon runs; it has not found its modem yet. */
  async start(): Promise<void> {
    const daemon = spawn('gammu-smsd', ['-c', this.file], { stdio: 'ignore' });
    await once(daemon, 'spawn');
    this.daemon = daemon;
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const { daemon } = this;
    this.daemon = undefined;
    if (daemon?.exitCode !== null || daemon.signalCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.kill(signal);
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Pulls the stick out. */
  unplug(): void {
    renameSync(this.device, `${this.device}.unplugged`);
  }

  plugIn(): void {
    renameSync(`${this.device}.unplugged`, this.device);
  }

  /** An SMS arrives, in parts if it is long. @param options.missing the part that gets lost, from 1. */
  receive(sender: string, text: string, options: { readonly missing?: number } = {}): void {
    this.received += 1;
    const { coding, parts } = encodeSms(text, this.received % 256);
    for (const [index, part] of parts.entries()) {
      if (index + 1 === options.missing) continue;
      this.deliver([
        'PDU = Deliver',
        `DateTime = ${backupTime(new Date())}`,
        'State = UnRead',
        `Number = "${sender}"`,
        ...(part.udh === '' ? [] : [`UDH = ${part.udh}`]),
        ...textLines(part.text),
        `Coding = ${coding}`,
        `Length = ${part.text.length}`,
      ]);
    }
  }

  /** The network reports about the messages that were sent to a number. */
  report(recipient: string, word: 'Delivered' | 'Failed' | 'Pending'): void {
    this.deliver([
      'PDU = Status_Report',
      `DateTime = ${backupTime(new Date())}`,
      `SMSCTime = ${backupTime(new Date())}`,
      'State = UnRead',
      'SMSC = "123456"',
      `Number = "${recipient}"`,
      ...textLines(word),
      'Coding = Default_No_Compression',
      `Length = ${word.length}`,
      'MessageReference = 255',
    ]);
  }

  /** How many parts the modem was given, by its log. */
  get transmissions(): number {
    return readFileSync(join(this.folder, 'log'), 'utf8').split('SMS sent on device').length - 1;
  }

  query(sql: string, ...values: readonly (string | number)[]): Row[] {
    const database = new Database(this.databaseFile, { timeout: 5_000 });
    try {
      return database.prepare(sql).all(...values) as Row[];
    } finally {
      database.close();
    }
  }

  /** Reads in one transaction until the answer is called. */
  readUntilReleased(): () => void {
    const reader = new Database(this.databaseFile);
    reader.exec('BEGIN');
    reader.prepare('SELECT * FROM sentitems').all();
    return () => {
      reader.close();
    };
  }

  private deliver(lines: readonly string[]): void {
    const inbox = join(this.device, 'sms', INBOX);
    const taken = readdirSync(inbox).map(Number);
    let location = 1;
    while (taken.includes(location)) location += 1;
    const content = ['[SMSBackup000]', ...lines, 'Folder = 1', 'Class = -1', ''].join('\n');
    const draft = join(this.folder, 'draft');
    writeFileSync(draft, content);
    renameSync(draft, join(inbox, String(location)));
  }

  private configuration(): string {
    return `[gammu]
device = ${this.device}
connection = none
model = dummy
[smsd]
service = sql
driver = sqlite3
dbdir = ${this.folder}/
database = smsd.db
phoneid = SIM1
commtimeout = 1
receivefrequency = 1
statusfrequency = 1
loopsleep = 1
maxretries = 0
deliveryreport = sms
deliveryreportdelay = 604800
checksecurity = 0
debuglevel = 1
logfile = ${join(this.folder, 'log')}
`;
  }
}

function schema(): string {
  if (existsSync(SCHEMA)) return readFileSync(SCHEMA, 'utf8');
  if (existsSync(`${SCHEMA}.gz`)) return gunzipSync(readFileSync(`${SCHEMA}.gz`)).toString('utf8');
  // Slim images install no documentation.
  const folder = mkdtempSync(join(tmpdir(), 'gammu-smsd-'));
  try {
    execFileSync('apt-get', ['download', 'gammu-smsd'], { cwd: folder, stdio: 'ignore' });
    const [archive = ''] = readdirSync(folder);
    execFileSync('dpkg-deb', ['-x', archive, '.'], { cwd: folder });
    return readFileSync(join(folder, SCHEMA), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Text as gammu's backup files have it: UTF-16 in hexadecimal, 50 characters a line. */
function textLines(text: string): string[] {
  const hex = Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase();
  const lines = hex.match(/.{1,200}/g) ?? [];
  return lines.map((line, index) => `Text${String(index).padStart(2, '0')} = ${line}`);
}

function backupTime(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+/g, '');
}
