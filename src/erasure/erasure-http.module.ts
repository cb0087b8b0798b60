import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ErasureModule } from './erasure.module';
import { ContactsModule } from '../contacts/contacts.module';
import { ContactDeletionController } from './http/contact-deletion.controller';
import { ErasureController } from './http/erasure.controller';

/** The routes that remove an account, and people that it has written to. */
@Module({
  imports: [AuthModule, ContactsModule, ErasureModule],
  controllers: [ContactDeletionController, ErasureController],
})
export class ErasureHttpModule {}
