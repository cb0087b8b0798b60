import { IntegerVariable } from '../environment';

export class DispatchConfig {
  /** Messages that are due together and are pushed at once; larger sends are split into waves, none larger than this. */
  @IntegerVariable('DISPATCH_WAVE_SIZE', 1, 500)
  readonly waveSize: number = 50;

  /** Sends of more messages than `waveSize` are split into waves that take their phone about this long. */
  @IntegerVariable('DISPATCH_WAVE_SECONDS', 1, 3_600)
  readonly waveSeconds: number = 5;

  get waveMs(): number {
    return this.waveSeconds * 1_000;
  }
}
