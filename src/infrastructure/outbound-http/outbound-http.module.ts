import { Module } from '@nestjs/common';
import { OutboundConfig } from '../../config/sections/outbound.config';
import { WebhooksConfig } from '../../config/sections/webhooks.config';
import { AddressPolicy } from './address-policy';
import { DnsLookup, SystemDnsLookup } from './dns-lookup';
import { OUTBOUND_OPTIONS, OutboundHttp } from './outbound-http';

/** Requests to the URLs of customers. */
@Module({
  providers: [
    {
      provide: AddressPolicy,
      inject: [WebhooksConfig],
      useFactory: (config: WebhooksConfig) => new AddressPolicy(config.allowedCidrs),
    },
    { provide: DnsLookup, useFactory: () => new SystemDnsLookup() },
    { provide: OUTBOUND_OPTIONS, useExisting: OutboundConfig },
    OutboundHttp,
  ],
  exports: [OutboundHttp],
})
export class OutboundHttpModule {}
