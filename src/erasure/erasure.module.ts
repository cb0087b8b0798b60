import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Account, AccountSchema } from '../auth/accounts/account.schema';
import { AuthModule } from '../auth/auth.module';
import { ConsentModule } from '../consent/consent.module';
import { ContactImportsModule } from '../contact-imports/contact-imports.module';
import { ContactsModule } from '../contacts/contacts.module';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from '../messages/messages.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountClosureService } from './account-closure.service';
import { ErasureRepository } from './erasure.repository';
import { ErasureScheduler } from './erasure.scheduler';
import { ErasureService } from './erasure.service';
import { PersonErasure } from './people/person-erasure.service';

/** Removes accounts with all their data, and people that an account has written to. */
@Module({
  imports: [
    AuthModule,
    ConsentModule,
    ContactImportsModule,
    ContactsModule,
    DevicesModule,
    MessagesModule,
    WebhooksModule,
    MongooseModule.forFeature([{ name: Account.name, schema: AccountSchema }]),
  ],
  providers: [AccountClosureService, ErasureRepository, ErasureService, PersonErasure],
  exports: [ErasureService, PersonErasure],
})
export class ErasureModule {}

/** Resumes erasures, in processes with the scheduler role. */
@Module({ imports: [ErasureModule], providers: [ErasureScheduler] })
export class ErasureSchedulerModule {}
