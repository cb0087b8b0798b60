import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { logIds } from './log-ids';
import { sanitizeLines } from '../../common/text/printable';
import { LOG_LEVELS, type LogLevelName, OpsConfig } from '../../config/sections/ops.config';

/** Contexts of Nest's own start-up lines and errors. */
const WIRING = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
  'ExceptionHandler',
]);

const NEST_LEVELS: Record<LogLevelName, readonly LogLevel[]> = {
  error: ['error', 'fatal'],
  warn: ['warn'],
  info: ['log'],
  debug: ['debug'],
};

const levelsFrom = (minimum: LogLevelName): LogLevel[] =>
  LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(minimum) + 1).flatMap((name) => NEST_LEVELS[name]);

type JsonLine = ReturnType<ConsoleLogger['getJsonLogObject']>;

const sanitize = (value: unknown): string =>
  sanitizeLines(typeof value === 'string' ? value : inspect(value));

/** Logs text or JSON lines with the current log ids. Untrusted values cannot forge a line or control the terminal. */
export class ServiceLogger extends ConsoleLogger {
  constructor({ logFormat, logLevel }: Pick<OpsConfig, 'logFormat' | 'logLevel'>) {
    super({
      json: logFormat === 'json',
      colors: logFormat === 'text' && isatty(process.stdout.fd),
      prefix: 'messaging-gateway',
      logLevels: levelsFrom(logLevel),
    });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!WIRING.has(String(rest.at(-1)))) super.log(message, ...rest);
  }

  /** Nest also throws its start-up errors, and `main` prints them. */
  override error(message: unknown, ...rest: unknown[]): void {
    if (!WIRING.has(String(rest.at(-1)))) super.error(message, ...rest);
  }

  protected override printMessages(
    messages: unknown[],
    context?: string,
    level?: LogLevel,
    stream?: 'stdout' | 'stderr',
    stack?: unknown,
  ): void {
    super.printMessages(
      messages.map(sanitize),
      context,
      level,
      stream,
      stack === undefined ? stack : sanitize(stack),
    );
  }

  protected override printStackTrace(stack: string): void {
    super.printStackTrace(stack && sanitize(stack));
  }

  protected override getJsonLogObject(...args: Parameters<ConsoleLogger['getJsonLogObject']>): JsonLine {
    return { ...super.getJsonLogObject(...args), ...logIds() };
  }

  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    const ids = Object.entries(logIds()).flatMap(([name, id]) => (id === undefined ? [] : `${name}=${id}`));
    return [super.stringifyMessage(message, level), ...ids].join(' ');
  }
}
