import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { NoticesController } from './http/notices.controller';
import { NoticesModule } from './notices.module';

/** Routes of the settings for notices. */
@Module({ imports: [AuthModule, NoticesModule], controllers: [NoticesController] })
export class NoticesHttpModule {}
