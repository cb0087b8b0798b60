import { isatty } from 'node:tty';
import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { logIds } from '../common/log-ids';
import { LOG_LEVELS, type LogLevelName, OpsConfig } from '../config/ops.config';

/** What Nest tells of its own wiring says nothing to an operator. */
const WIRING = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** Nest has its own name for one of the levels, and one more. */
const NEST_LEVELS: Record<LogLevelName, readonly LogLevel[]> = {
  error: ['error', 'fatal'],
  warn: ['warn'],
  info: ['log'],
  debug: ['debug'],
};

const levelsFrom = (least: LogLevelName): LogLevel[] =>
  LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(least) + 1).flatMap((name) => NEST_LEVELS[name]);

type JsonLine = ReturnType<ConsoleLogger['getJsonLogObject']>;

/** Lines for a terminal, or one JSON object each; all with the ids of what is being worked on. */
export class ServiceLogger extends ConsoleLogger {
  constructor({ logFormat, logLevel }: OpsConfig) {
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

  /** What fails while Nest starts is thrown as well, and told by whoever started it. */
  override error(message: unknown, ...rest: unknown[]): void {
    if (!WIRING.has(String(rest.at(-1)))) super.error(message, ...rest);
  }

  protected override getJsonLogObject(...line: Parameters<ConsoleLogger['getJsonLogObject']>): JsonLine {
    return { ...super.getJsonLogObject(...line), ...logIds() };
  }

  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    const ids = Object.entries(logIds()).flatMap(([name, id]) => (id === undefined ? [] : `${name}=${id}`));
    return [super.stringifyMessage(message, level), ...ids].join(' ');
  }
}
