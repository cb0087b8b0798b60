import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ContactImportsModule } from './contact-imports.module';
import { ContactExportController } from './http/contact-export.controller';
import { ImportsController } from './http/imports.controller';

/** Routes of imports, and of the export of contacts. */
@Module({
  imports: [AuthModule, ContactImportsModule],
  controllers: [ContactExportController, ImportsController],
})
export class ContactImportsHttpModule {}
