import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { LimitsModule } from '../auth/limits/limits.module';
import { ConsentModule } from '../consent/consent.module';
import { ContactsModule } from '../contacts/contacts.module';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from '../messages/messages.module';
import { ContactApplier } from './contacts/contact-applier.service';
import { ContactUndo } from './contacts/contact-undo.service';
import { ImportedContactsRepository } from './contacts/imported-contacts.repository';
import { ContactFile } from './export/contact-file.service';
import { Import, ImportSchema } from './store/import.schema';
import { ImportRow, ImportRowSchema } from './store/import-row.schema';
import { ImportRowsRepository } from './store/import-rows.repository';
import { Imports } from './imports.service';
import { ImportsRepository } from './store/imports.repository';
import { ImportRunner } from './runs/import-runner.service';
import { ImportsScheduler } from './runs/imports.scheduler';
import { RowAppliers } from './runs/row-appliers.service';
import { FileStager } from './staging/file-stager.service';
import { ImportList } from './staging/import-list.service';
import { SuppressionApplier } from './suppressions/suppression-applier.service';

const EXPORTED = [ContactFile, ImportRunner, Imports];

/** Imports files of contacts, and of people who want no messages, takes imports back, and exports contacts. */
@Module({
  imports: [
    ConsentModule,
    ContactsModule,
    DevicesModule,
    LimitsModule,
    MessagesModule,
    MongooseModule.forFeature([
      { name: Import.name, schema: ImportSchema },
      { name: ImportRow.name, schema: ImportRowSchema },
    ]),
  ],
  providers: [
    ContactApplier,
    ContactUndo,
    FileStager,
    ImportList,
    ImportRowsRepository,
    ImportedContactsRepository,
    ImportsRepository,
    RowAppliers,
    SuppressionApplier,
    ...EXPORTED,
  ],
  exports: EXPORTED,
})
export class ContactImportsModule {}

/** Takes up imports that were interrupted, and removes old ones, in processes with the scheduler role. */
@Module({ imports: [ContactImportsModule], providers: [ImportsScheduler] })
export class ContactImportsSchedulerModule {}
