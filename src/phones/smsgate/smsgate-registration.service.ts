import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { DeviceTokensRepository } from '../../auth/device-tokens/device-tokens.repository';
import { generateToken, hashSecret } from '../../auth/token';
import { Clock } from '../../common/clock';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { DevicesService } from '../../devices/devices.service';
import { PairingCodesService } from '../../pairing-codes/pairing-codes.service';
import { PhoneReplacement } from '../replacement/phone-replacement.service';
import { DeviceReplaced } from '../replacement/replacement.errors';
import { appVersionOf, isAtLeast, OLDEST_APP } from './app-version';
import { requestAtStart } from './export-requests';
import { changedAttributes, registeredPhone, type ReportedDevice } from './reported-device';
import { AppTooOld, CodeRequired } from './smsgate.errors';

/** Who calls. */
export interface AppCaller {
  readonly authorization?: string;
  readonly userAgent?: string;
  /** The client address, as limits count it. */
  readonly address: string;
}

export interface RegisteredApp {
  readonly id: string;
  readonly token: string;
  /** Shown as the user name. */
  readonly login: string;
}

/** Registers phones by pairing codes, and gives each a token of its own. */
@Injectable()
export class SmsGateRegistration {
  constructor(
    private readonly codes: PairingCodesService,
    private readonly devices: DevicesService,
    private readonly tokens: DeviceTokensRepository,
    private readonly replacement: PhoneReplacement,
    private readonly clock: Clock,
  ) {}

  /**
   * A code always makes a new device: the memory of the app, by which it sends no message twice, may be gone.
   * @throws AppTooOld, CodeRequired, PairingCodeInvalid, TooManyAttempts, DeviceLimitReached, RegistrationsBusy
   */
  async register(
    reported: ReportedDevice,
    { authorization, userAgent, address }: AppCaller,
  ): Promise<RegisteredApp> {
    const [, code] = /^Code +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (code === undefined) throw new CodeRequired();
    const version = appVersionOf(userAgent);
    if (!version || !isAtLeast(version, OLDEST_APP)) throw new AppTooOld();
    const fingerprint = createHash('sha256').update(JSON.stringify(reported)).digest('base64url');
    const { account, device, email, replaces } = await this.codes.redeem(code, { address, fingerprint });
    await this.devices.registerPaired(account, device, registeredPhone(reported, version));
    if (replaces) await this.replace(account, replaces, device);
    const token = generateToken('');
    await this.tokens.replace(account, device, hashSecret(token), this.clock.now());
    return { id: device.toHexString(), token, login: email };
  }

  /** The phone is paired all the same if the other one was deleted or replaced since its code was made. */
  private async replace(account: AccountScope, replaced: Types.ObjectId, by: Types.ObjectId): Promise<void> {
    try {
      await this.replacement.replace(account, replaced, by);
    } catch (failure) {
      if (!(failure instanceof DeviceNotFound || failure instanceof DeviceReplaced)) throw failure;
    }
  }

  /** Stores what the app reports at its start, and that its next stream asks for what it received while it was off. @throws DeviceNotFound */
  async update(
    account: AccountScope,
    device: Types.ObjectId,
    reported: ReportedDevice,
    userAgent: string | undefined,
  ): Promise<void> {
    const stored = await this.devices.getStored(account, device);
    const attributes = changedAttributes(reported, appVersionOf(userAgent));
    await this.devices.updateReported(account, device, attributes, requestAtStart(stored, this.clock.now()));
  }
}
