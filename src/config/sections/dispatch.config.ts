import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { Variable } from '../environment';

export class DispatchConfig {
  /** Messages per wave: a phone receives them together. */
  @Variable('DISPATCH_WAVE_SIZE')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(500)
  readonly waveSize: number = 50;
}
