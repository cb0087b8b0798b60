import { createHmac, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { DisabledAccountsService } from '../auth/accounts/disabled-accounts.service';
import { Clock } from '../common/clock';
import { MINUTE_MS } from '../common/durations';
import { AuthConfig } from '../config/sections/auth.config';
import { DeviceNotFound } from '../devices/store/devices.errors';
import { DevicesRepository } from '../devices/store/devices.repository';
import { PairingAttempts } from './pairing-attempts.service';
import type { PairingCode } from './pairing-code.schema';
import { PairingCodeInvalid, PairingCodeNotFound } from './pairing-code.errors';
import { PairingCodesRepository, type RedeemedCode } from './pairing-codes.repository';

const CODE_LENGTH = 10;
const CODE_LIFETIME_MS = 10 * MINUTE_MS;
/** How long a request that got no answer may be repeated. */
const REPETITION_MS = 2 * MINUTE_MS;
/** Used ones included. The page makes a code each time it is opened, so the oldest one makes room. */
export const MAX_CODES_PER_ACCOUNT = 20;
const MAX_INSERT_ATTEMPTS = 5;

export interface NewPairingCode {
  readonly id: Types.ObjectId;
  /** Ten digits. */
  readonly code: string;
  readonly expiresAt: Date;
}

/** What the page that shows a code waits for. */
export interface PairingProgress {
  readonly expiresAt: Date;
  /** The new device, as soon as it is stored. */
  readonly device?: Types.ObjectId;
}

export interface RedemptionRequest {
  /** The client address, as limits count it. */
  readonly address: string;
  /** A hash of the request's body: the same code with the same body may be repeated. */
  readonly fingerprint: string;
}

export interface RedeemedPairing {
  readonly account: AccountScope;
  /** The address of the account. */
  readonly email: string;
  /** The id under which the caller stores the device. */
  readonly device: Types.ObjectId;
  /** The device that the new phone replaces. */
  readonly replaces?: Types.ObjectId;
}

/**
 * Pairing codes, which a person types into an app: ten digits, because its field has a keyboard of digits, valid for ten
 * minutes and one phone.
 */
@Injectable()
export class PairingCodesService {
  constructor(
    private readonly codes: PairingCodesRepository,
    private readonly accounts: AccountsRepository,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly devices: DevicesRepository,
    private readonly attempts: PairingAttempts,
    private readonly config: AuthConfig,
    private readonly clock: Clock,
  ) {}

  /** @param replaces the device that the new phone replaces. @throws DeviceNotFound */
  async create(account: AccountScope, replaces?: Types.ObjectId): Promise<NewPairingCode> {
    if (replaces && !(await this.devices.find(account, replaces))) throw new DeviceNotFound();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + CODE_LIFETIME_MS);
    const generation = (await this.accounts.findTokenGeneration(account)) ?? 0;
    for (let attempt = 0; attempt < MAX_INSERT_ATTEMPTS; attempt++) {
      const [id, code] = [new Types.ObjectId(), newCode()];
      const stored: PairingCode = {
        _id: id,
        user: account.user,
        hash: this.hash(code),
        generation,
        ...(replaces && { replaces }),
        createdAt: now,
        expiresAt,
      };
      if (!(await this.codes.insert(stored))) continue;
      await this.codes.removeAllButNewest(account, MAX_CODES_PER_ACCOUNT);
      return { id, code, expiresAt };
    }
    throw new Error('Could not store a pairing code: each one that was drawn is in use');
  }

  /** @throws PairingCodeNotFound */
  async progress(account: AccountScope, id: Types.ObjectId): Promise<PairingProgress> {
    const code = await this.codes.find(account, id);
    if (!code) throw new PairingCodeNotFound();
    const { expiresAt } = code;
    const device = code.device && (await this.devices.find(account, code.device));
    return { expiresAt, ...(device && { device: device._id }) };
  }

  /**
   * Uses up a code and chooses the id of the new device. The caller then stores the device under this id; if it dies in
   * between, the phone's repetition gets the same id.
   * @throws PairingCodeInvalid, TooManyAttempts
   */
  async redeem(code: string, { address, fingerprint }: RedemptionRequest): Promise<RedeemedPairing> {
    const attempt = await this.attempts.begin(address);
    const now = this.clock.now();
    const hash = this.hash(code.replace(/[\s-]/g, ''));
    const redeemed =
      (await this.codes.redeem(hash, { redeemedAt: now, fingerprint, device: new Types.ObjectId() })) ??
      (await this.findRepeated(hash, fingerprint, now));
    const email = redeemed && (await this.findEmail(redeemed));
    if (!redeemed || !email) throw new PairingCodeInvalid();
    await attempt.succeeded();
    const { user, device, replaces } = redeemed;
    return { account: accountScope(user), email, device, ...(replaces && { replaces }) };
  }

  /** The code that this request has redeemed before, unless its phone has already called: then its answer has arrived. */
  private async findRepeated(hash: string, fingerprint: string, now: Date): Promise<RedeemedCode | null> {
    const since = new Date(now.getTime() - REPETITION_MS);
    const found = await this.codes.findRedeemed(hash, fingerprint, since);
    if (!found) return null;
    const [device] = await this.devices.findMany(accountScope(found.user), [found.device]);
    return device && (device.lastContactAt || device.deletedAt) ? null : found;
  }

  /** The address of the account, if it may still pair phones with this code. */
  private async findEmail({ user, generation }: RedeemedCode): Promise<string | undefined> {
    const account = accountScope(user);
    const owner = await this.accounts.findOwnCredentials(account);
    if (!owner || (owner.tokenGeneration ?? 0) !== generation) return undefined;
    return (await this.disabledAccounts.isDisabled(account)) ? undefined : owner.email;
  }

  /** Keyed with TOKEN_SECRET, because codes this short could be guessed from a leaked database. */
  private hash(code: string): string {
    return createHmac('sha256', this.config.tokenSecret).update(`pairing:${code}`).digest('hex');
  }
}

const newCode = (): string => String(randomInt(10 ** CODE_LENGTH)).padStart(CODE_LENGTH, '0');
