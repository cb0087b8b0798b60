import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DevicesModule } from '../devices/devices.module';
import { ContactListRepository } from './contact-list.repository';
import { ContactMerge } from './contact-merge.service';
import { Contact, ContactSchema } from './contact.schema';
import { ContactsRepository } from './contacts.repository';
import { ContactsService } from './contacts.service';

const EXPORTED = [ContactListRepository, ContactMerge, ContactsRepository, ContactsService];

/** The people that an account writes to, and lists of them. */
@Module({
  imports: [DevicesModule, MongooseModule.forFeature([{ name: Contact.name, schema: ContactSchema }])],
  providers: EXPORTED,
  exports: EXPORTED,
})
export class ContactsModule {}
