import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min, MinLength } from 'class-validator';
import { Variable } from './environment';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevelName = (typeof LOG_LEVELS)[number];

/** How the service is watched: its logs, its metrics, the page of its queues. */
export class OpsConfig {
  /** `text` for a terminal, `json` for a log collector. */
  @Variable('LOG_FORMAT')
  @IsIn(['text', 'json'])
  readonly logFormat: 'text' | 'json' = 'text';

  /** `debug` adds a line for each request, job and delivery attempt. */
  @Variable('LOG_LEVEL')
  @IsIn(LOG_LEVELS)
  readonly logLevel: LogLevelName = 'info';

  /** Where a process without the api role serves health, metrics and the queue page; without it, it does not listen. */
  @Variable('OPS_PORT')
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  readonly port?: number;

  /** The bearer token that opens the metrics; without one there are none. */
  @Variable('METRICS_TOKEN')
  @IsOptional()
  @Matches(/^[\w.~+/-]{20,}=*$/, { message: 'must be at least 20 letters, digits or -._~+/' })
  readonly metricsToken?: string;

  /** The password of the queue page; without one there is no page. */
  @Variable('QUEUE_PAGE_PASSWORD')
  @IsOptional()
  @MinLength(20)
  readonly queuePagePassword?: string;
}
