import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { DeviceTokensRepository } from '../../auth/device-tokens/device-tokens.repository';
import { Unauthorized } from '../../common/errors';
import { headerOf, type PlatformRequest, rawRequestOf } from '../../common/http/connections/raw-http';
import { HttpConfig } from '../../config/sections/http.config';
import { SmsGateConfig } from '../../config/sections/smsgate.config';
import { appVersionOf, isAtLeast, STARTED_HOOK_SINCE } from './app-version';
import { signingKeyOf } from './hook-signature';

/** The events that the app posts, by the id of their hook. An older app misreads a list with an event that it does not know. */
const HOOKS = { recv: 'sms:received', ping: 'system:ping' } as const;
const STARTED_HOOK = { boot: 'app:started' } as const;

/** Tells apps to which addresses they post what happens, and with which key they sign it. */
@Injectable()
export class AppHooks {
  constructor(
    private readonly tokens: DeviceTokensRepository,
    private readonly http: HttpConfig,
    private readonly smsgate: SmsGateConfig,
  ) {}

  /** @throws Unauthorized if the token ended meanwhile. */
  async signingKeyOf(device: Types.ObjectId): Promise<string> {
    const token = await this.tokens.findOfDevice(device);
    if (!token) throw new Unauthorized();
    return signingKeyOf(token.hash);
  }

  /** @param request whose address the phone can reach. */
  list(device: Types.ObjectId, userAgent: string | undefined, request: PlatformRequest) {
    const url = `${this.originOf(request)}${this.http.basePath}${this.smsgate.path}/hook/${device.toHexString()}`;
    const hasStarted = isAtLeast(appVersionOf(userAgent), STARTED_HOOK_SINCE);
    return Object.entries({ ...HOOKS, ...(hasStarted && STARTED_HOOK) }).map(([id, event]) => ({
      id,
      url,
      event,
    }));
  }

  /** The public address where its host is the one that the app used: only it says whether a proxy speaks https. */
  private originOf(request: PlatformRequest & { readonly protocol?: string }): string {
    const host = headerOf(rawRequestOf(request), 'host') ?? '';
    const { publicUrl } = this.http;
    if (publicUrl && new URL(publicUrl).host === host) return new URL(publicUrl).origin;
    return `${request.protocol ?? 'http'}://${host}`;
  }
}
