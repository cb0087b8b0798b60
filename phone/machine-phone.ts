import { setTimeout as sleep } from 'node:timers/promises';
import { MachineRadio, type MachineRadioOptions } from './machine-radio';
import { Phone, type PhoneOptions } from './phone';
import type { MachineRadioListener } from './radio';
import type { RadioDriver, RadioFacts } from './radio-driver';

export interface MachinePhoneOptions extends PhoneOptions {
  /** Identifies the phone. */
  readonly serial: string;
  readonly name: string;
  readonly version: string;
  /** Seconds between two messages, in place of what the radio says. */
  readonly sendDelaySeconds?: number;
  readonly radio?: MachineRadioOptions;
  /** Seconds between two attempts to find the radio at the start. Default 5. */
  readonly retrySeconds?: number;
}

/** A phone whose radio is a modem, or another phone. */
export class MachinePhone extends Phone {
  protected readonly reportsSim = true;
  private found: { readonly driver: RadioDriver; readonly facts: RadioFacts } | undefined;
  private radio: MachineRadio | undefined;

  /** @param openDriver opens a driver, which the phone closes when it is stopped. */
  constructor(
    private readonly options: MachinePhoneOptions,
    private readonly openDriver: () => RadioDriver,
  ) {
    super(options);
  }

  /** Waits for the radio, so that a phone without one is never registered as ready. */
  protected override async prepare(signal: AbortSignal): Promise<void> {
    let problem: string | undefined;
    for (;;) {
      const driver = this.openDriver();
      try {
        this.found = { driver, facts: await driver.check() };
        signal.throwIfAborted();
        return;
      } catch (error) {
        driver.close();
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== problem) this.emit('radio', reason);
        problem = reason;
        await sleep((this.options.retrySeconds ?? 5) * 1_000, undefined, { signal });
      }
    }
  }

  override async stop(options?: { readonly finishWithinMs?: number }): Promise<void> {
    await super.stop(options);
    // A radio closes its driver itself, after the requests in flight.
    if (this.radio === undefined) this.found?.driver.close();
    this.radio = undefined;
    this.found = undefined;
  }

  protected createRadio(listener: MachineRadioListener): MachineRadio {
    const { driver, facts } = this.requireFound();
    this.radio = new MachineRadio(driver, facts, listener, this.options.radio);
    return this.radio;
  }

  protected registration(): Record<string, unknown> {
    const { serial, name } = this.options;
    const { manufacturer, model, os } = this.currentFacts;
    return {
      ...this.app,
      pushTransport: 'stream',
      supportsCancel: true,
      supportsEncryption: false,
      enabled: true,
      brand: manufacturer,
      manufacturer,
      model,
      os,
      serial,
      name,
      partsPerMinute: null,
      ...this.simInfo,
    };
  }

  protected facts(): Record<string, unknown> {
    const { batteryPercentage, isCharging, networkType, sendDelaySeconds } = this.currentFacts;
    return {
      ...this.app,
      batteryPercentage,
      isCharging,
      networkType,
      smsSendDelaySeconds: this.options.sendDelaySeconds ?? sendDelaySeconds,
      receiveSMSEnabled: true,
      ...this.simInfo,
    };
  }

  private get app(): Record<string, unknown> {
    return { appVersionName: this.options.version, appVersionCode: 1 };
  }

  private get simInfo(): Record<string, unknown> {
    const sims = this.currentFacts.sims.map(({ slot, ...sim }) => ({ simSlotIndex: slot, ...sim }));
    return sims.length === 0 ? {} : { simInfo: { lastUpdated: Date.now(), sims } };
  }

  private get currentFacts(): RadioFacts {
    return this.radio?.lastFacts ?? this.requireFound().facts;
  }

  private requireFound(): { readonly driver: RadioDriver; readonly facts: RadioFacts } {
    if (this.found === undefined) throw new Error('the radio was not found yet');
    return this.found;
  }
}
