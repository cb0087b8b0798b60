import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { LimitsModule } from '../auth/limits/limits.module';
import { DevicesModule } from '../devices/devices.module';
import { ContactMerge } from './contact-merge.service';
import { ContactPagesRepository } from './store/contact-pages.repository';
import { ContactPages } from './contact-pages.service';
import { ContactRecovery } from './contact-recovery.service';
import { Contact, ContactSchema } from './store/contact.schema';
import { ContactsRepository } from './store/contacts.repository';
import { ContactsService } from './contacts.service';
import { ContactList, ContactListSchema } from './lists/contact-list.schema';
import { ContactListsRepository } from './lists/contact-lists.repository';
import { ContactLists } from './lists/contact-lists.service';
import { ListMembersRepository } from './lists/list-members.repository';

const EXPORTED = [
  ContactLists,
  ContactListsRepository,
  ContactMerge,
  ContactPages,
  ContactPagesRepository,
  ContactRecovery,
  ContactsRepository,
  ContactsService,
  ListMembersRepository,
];

/** The people that an account writes to, and lists of them. */
@Module({
  imports: [
    AuthModule,
    DevicesModule,
    LimitsModule,
    MongooseModule.forFeature([
      { name: Contact.name, schema: ContactSchema },
      { name: ContactList.name, schema: ContactListSchema },
    ]),
  ],
  providers: EXPORTED,
  exports: [...EXPORTED, MongooseModule],
})
export class ContactsModule {}
