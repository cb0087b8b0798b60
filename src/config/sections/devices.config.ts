import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { Variable } from '../environment';

export class DevicesConfig {
  /** Devices per account; existing devices above the limit are kept. */
  @Variable('MAX_DEVICES_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(10_000)
  readonly maxPerAccount: number = 100;
}
