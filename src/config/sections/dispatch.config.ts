import { IntegerVariable } from '../environment';

export class DispatchConfig {
  /** Messages per wave: a phone receives them together. */
  @IntegerVariable('DISPATCH_WAVE_SIZE', 1, 500)
  readonly waveSize: number = 50;
}
