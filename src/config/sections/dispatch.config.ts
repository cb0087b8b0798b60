import { IntegerVariable } from '../environment/environment';

export class DispatchConfig {
  /** The most messages that are due together and are pushed at once; larger sends are split into waves, none larger than this. */
  @IntegerVariable('DISPATCH_WAVE_SIZE', 1, 500)
  readonly waveSize: number = 50;

  /** Sends of more messages than `waveSize`, or more parts than a phone sends in a minute, are split into waves of about this time. */
  @IntegerVariable('DISPATCH_WAVE_SECONDS', 1, 3_600)
  readonly waveSeconds: number = 5;

  get waveMs(): number {
    return this.waveSeconds * 1_000;
  }
}
