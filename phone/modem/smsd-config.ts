import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RadioUnavailable } from '../radio-driver';

/** What the configuration file of a gammu-smsd says. */
export interface SmsdConfig {
  readonly database: string;
  /** Which of several daemons of one database this is. */
  readonly phoneId: string;
  /** A file that may tell why the daemon does not run. */
  readonly logFile: string | undefined;
  /** After this time without a sign of life the daemon is dead, or has lost its modem. */
  readonly silenceMs: number;
  /** For how long the daemon reserves a message that it sends. */
  readonly lockSeconds: number;
}

type Settings = ReadonlyMap<string, string>;

/** @throws RadioUnavailable for a missing file or one that this radio cannot use. */
export function readSmsdConfig(file: string): SmsdConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RadioUnavailable(`The configuration of gammu-smsd cannot be read: ${reason}`);
  }
  return smsdConfigOf(text, file);
}

/** @throws RadioUnavailable if this radio cannot use the configuration. */
export function smsdConfigOf(text: string, file: string): SmsdConfig {
  const settings = settingsOf(text, 'smsd');
  const [service, driver] = [settings.get('service'), settings.get('driver')];
  if (service?.toLowerCase() !== 'sql' || driver?.toLowerCase() !== 'sqlite3')
    throw new RadioUnavailable(`${file} must have "service = sql" and "driver = sqlite3" in [smsd]`);
  const folder = settings.get('dbdir');
  if (folder === undefined) throw new RadioUnavailable(`${file} must have "dbdir" in [smsd]`);
  const log = settings.get('logfile');
  const seconds = (name: string, usual: number): number => {
    const value = Number(settings.get(name) ?? usual);
    return Number.isFinite(value) && value >= 0 ? value : usual;
  };
  return {
    database: join(folder, settings.get('database') ?? 'sms'),
    phoneId: settings.get('phoneid') ?? '',
    logFile: log?.startsWith('/') === true ? log : undefined,
    silenceMs: (3 * seconds('statusfrequency', 60) + seconds('commtimeout', 30) + 5) * 1_000,
    // As gammu-smsd calculates it.
    lockSeconds: Math.max(60, 8 * seconds('loopsleep', 1)),
  };
}

/** The settings of a section; names are not case-sensitive. */
function settingsOf(text: string, section: string): Settings {
  const settings = new Map<string, string>();
  let current = '';
  for (const line of text.split('\n')) {
    const [, name] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    if (name !== undefined) current = name.trim().toLowerCase();
    const [, key, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined && current === section)
      settings.set(key.toLowerCase(), value);
  }
  return settings;
}
