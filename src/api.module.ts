import { Module } from '@nestjs/common';
import { AccountExportHttpModule } from './account-export/account-export-http.module';
import { ApiKeysHttpModule } from './api-keys/api-keys-http.module';
import { AuthHttpModule } from './auth/auth-http.module';
import { AuthGuardsModule } from './auth/authentication/auth-guards.module';
import { BillingHttpModule } from './billing/billing-http.module';
import { HttpConventionsModule } from './common/http/http-conventions.module';
import { ContactsHttpModule } from './contacts/contacts-http.module';
import { ConsentHttpModule } from './consent/consent-http.module';
import { ContactImportsHttpModule } from './contact-imports/contact-imports-http.module';
import { DevicesHttpModule } from './devices/devices-http.module';
import { ErasureHttpModule } from './erasure/erasure-http.module';
import { GatewayHttpModule } from './gateway/gateway-http.module';
import { MessagesHttpModule } from './messages/messages-http.module';
import { NoticesHttpModule } from './notices/notices-http.module';
import { PairingCodesHttpModule } from './pairing-codes/pairing-codes-http.module';
import { PhonesHttpModule } from './phones/phones-http.module';
import { OperationsHttpModule } from './ops/operations/operations-http.module';
import { WebhooksHttpModule } from './webhooks/webhooks-http.module';

/** All routes of the REST API; their prefix is the application's. Feature modules alone mount none. */
@Module({
  imports: [
    HttpConventionsModule,
    AuthGuardsModule,
    AuthHttpModule,
    BillingHttpModule,
    DevicesHttpModule,
    ApiKeysHttpModule,
    PairingCodesHttpModule,
    ContactsHttpModule,
    MessagesHttpModule,
    NoticesHttpModule,
    ConsentHttpModule,
    ContactImportsHttpModule,
    GatewayHttpModule,
    PhonesHttpModule,
    WebhooksHttpModule,
    AccountExportHttpModule,
    ErasureHttpModule,
    OperationsHttpModule,
  ],
})
export class ApiModule {}
