import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ContactsModule } from './contacts.module';
import { ContactsController } from './http/contacts.controller';
import { ListsController } from './http/lists.controller';

/** Routes of contacts and their lists; that which deletes a contact is in `src/erasure`. */
@Module({ imports: [AuthModule, ContactsModule], controllers: [ContactsController, ListsController] })
export class ContactsHttpModule {}
