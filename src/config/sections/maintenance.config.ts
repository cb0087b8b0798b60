import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { Variable } from '../environment';

export class MaintenanceConfig {
  /** Seconds of traffic that are added to the stored totals at once. */
  @Variable('ROLLUP_PERIOD_SECONDS')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(3_600)
  readonly rollupPeriodSeconds: number = 60;
}
