import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ContactImportsModule } from './contact-imports.module';
import { ImportsController } from './http/imports.controller';

/** Routes of imports. */
@Module({
  imports: [AuthModule, ContactImportsModule],
  controllers: [ImportsController],
})
export class ContactImportsHttpModule {}
