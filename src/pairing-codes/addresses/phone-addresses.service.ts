import type { IncomingHttpHeaders, Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HttpConfig } from '../../config/sections/http.config';
import { SmsGateConfig } from '../../config/sections/smsgate.config';
import { type PhoneAddress, reachableAddresses } from './phone-addresses';

/** Where the app on a phone reaches the service. */
@Injectable()
export class PhoneAddresses {
  constructor(
    private readonly http: HttpConfig,
    private readonly smsgate: SmsGateConfig,
    private readonly adapter: HttpAdapterHost,
  ) {}

  /**
   * The addresses that the app is given, best first; none if its protocol is turned off.
   * @param headers of the request of a page: its origin is one of them, if the page is the service's.
   */
  list(headers?: Pick<IncomingHttpHeaders, 'origin' | 'host'>): PhoneAddress[] {
    const { host, publicUrl, basePath } = this.http;
    if (this.smsgate.path === '') return [];
    return reachableAddresses({
      interfaces: networkInterfaces(),
      host,
      port: this.port(),
      publicUrl,
      openedAt: headers && ownOrigin(headers),
      path: `${basePath}${this.smsgate.path}`,
    }).map((address) => ({ ...address, appUrl: this.smsgate.appUrlOf(address.variant) }));
  }

  /** The port that is listened on, which differs from the configured one if that is 0. */
  private port(): number {
    // Commands have no server.
    const adapter = this.adapter.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    const address = (adapter?.getHttpServer() as Server | undefined)?.address();
    return typeof address === 'object' && address ? address.port : this.http.port;
  }
}

/** The origin of the page that made the request; undefined if the page is another service's. */
function ownOrigin({ origin, host }: Pick<IncomingHttpHeaders, 'origin' | 'host'>): string | undefined {
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return url.host === host && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}
