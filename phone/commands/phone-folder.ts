import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRecord, parseOrUndefined } from '../wire';

export type StoredRadio =
  | { readonly kind: 'virtual' }
  | { readonly kind: 'modem'; readonly smsdrc: string }
  | {
      readonly kind: 'smsgate-local';
      readonly url: string;
      readonly user: string;
      readonly password: string;
    };

/** A phone that was paired. */
export interface StoredPhone {
  /** Of the service, without `/api/v1`. */
  readonly url: string;
  readonly apiKey: string;
  readonly serial: string;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly pairedAt: number;
  readonly deviceId?: string;
  /** Seconds between two messages, in place of what the radio says. */
  readonly sendDelaySeconds?: number;
  readonly radio: StoredRadio;
}

/** @returns the folder of the option or, without it, `/var/lib` for root and the state folder of other users. */
export function folderFrom(option: string | undefined, environment: NodeJS.ProcessEnv): string {
  const given = option ?? environment.MGW_PHONE_DIR;
  if (given !== undefined && given !== '') return resolve(given);
  if (process.getuid?.() === 0) return '/var/lib/messaging-gateway-phone';
  const state = environment.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
  return join(state, 'messaging-gateway-phone');
}

/** What one phone keeps: its key, the ledger of its messages, and how far it has read what it received. */
export class PhoneFolder {
  constructor(readonly path: string) {}

  get ledger(): string {
    return join(this.path, 'ledger');
  }

  /** @returns undefined if no phone was paired here. @throws Error for an unreadable file. */
  read(): StoredPhone | undefined {
    const text = textOf(this.file);
    if (text === undefined) return undefined;
    const phone = readStoredPhone(parseOrUndefined(text));
    if (phone === undefined) throw new Error(`${this.file} is damaged: pair the phone again with --force`);
    return phone;
  }

  /** @throws Error if no phone was paired here. */
  require(): StoredPhone {
    const phone = this.read();
    if (phone === undefined)
      throw new Error(
        `no phone is paired in ${this.path}: get a code from the dashboard, then run "pair CODE --url URL"`,
      );
    return phone;
  }

  /** Makes sure that the key can be written before a code is used up. @throws Error */
  prepare(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    writeFileSync(this.draft, ' '.repeat(4_096), { mode: 0o600 });
    rmSync(this.draft);
  }

  write(phone: StoredPhone): void {
    writeFileSync(this.draft, `${JSON.stringify(phone, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(this.draft, this.file);
  }

  get uploadedUntil(): number | undefined {
    const time = Number(textOf(this.uploadedFile) ?? NaN);
    return Number.isFinite(time) && time > 0 ? time : undefined;
  }

  setUploadedUntil(time: number): void {
    writeFileSync(`${this.uploadedFile}.new`, String(time), { mode: 0o600 });
    renameSync(`${this.uploadedFile}.new`, this.uploadedFile);
  }

  /** Another phone must not continue with the messages of the last one. */
  forgetMessages(): void {
    for (const file of [this.ledger, this.uploadedFile]) rmSync(file, { force: true });
  }

  private get file(): string {
    return join(this.path, 'phone.json');
  }

  private get draft(): string {
    return join(this.path, 'phone.json.new');
  }

  private get uploadedFile(): string {
    return join(this.path, 'uploaded-until');
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function readStoredPhone(value: unknown): StoredPhone | undefined {
  if (!isRecord(value)) return undefined;
  const { url, apiKey, serial, name, pairedAt, deviceId, sendDelaySeconds } = value;
  const radio = readRadio(value.radio);
  if (typeof url !== 'string' || typeof apiKey !== 'string' || typeof serial !== 'string') return undefined;
  if (typeof name !== 'string' || typeof pairedAt !== 'number' || radio === undefined) return undefined;
  return {
    url,
    apiKey,
    serial,
    name,
    pairedAt,
    radio,
    ...(typeof deviceId === 'string' && { deviceId }),
    ...(typeof sendDelaySeconds === 'number' && { sendDelaySeconds }),
  };
}

function readRadio(value: unknown): StoredRadio | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, smsdrc, url, user, password } = value;
  if (kind === 'virtual') return { kind };
  if (kind === 'modem' && typeof smsdrc === 'string') return { kind, smsdrc };
  if (kind !== 'smsgate-local' || typeof url !== 'string') return undefined;
  return typeof user === 'string' && typeof password === 'string' ? { kind, url, user, password } : undefined;
}
