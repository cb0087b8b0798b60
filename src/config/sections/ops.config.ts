import { IsIn, IsOptional, Matches, MinLength } from 'class-validator';
import { IntegerVariable, Variable } from '../environment/environment';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevelName = (typeof LOG_LEVELS)[number];

export class OpsConfig {
  /** `text` for a terminal, `json` for a log collector. */
  @Variable('LOG_FORMAT')
  @IsIn(['text', 'json'])
  readonly logFormat: 'text' | 'json' = 'text';

  /** `debug` adds a line for each request, job and delivery attempt. */
  @Variable('LOG_LEVEL')
  @IsIn(LOG_LEVELS)
  readonly logLevel: LogLevelName = 'info';

  /** Port for health, metrics and the queue page of a process without the api role; without it, the process does not listen. */
  @IntegerVariable('OPS_PORT', 0, 65_535)
  @IsOptional()
  readonly port?: number;

  /** Bearer token for /metrics; without it, the route does not exist. */
  @Variable('METRICS_TOKEN')
  @IsOptional()
  @Matches(/^[\w.~+/-]{20,}=*$/, { message: 'must be at least 20 letters, digits or -._~+/' })
  readonly metricsToken?: string;

  /** Password of the queue page; without it, the page does not exist. */
  @Variable('QUEUE_PAGE_PASSWORD')
  @IsOptional()
  @MinLength(20)
  readonly queuePagePassword?: string;
}
