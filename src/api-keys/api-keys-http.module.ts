import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ApiKeysModule } from './api-keys.module';
import { ApiKeysController } from './http/api-keys.controller';

/** Routes of API keys. */
@Module({
  imports: [AuthModule, ApiKeysModule],
  controllers: [ApiKeysController],
})
export class ApiKeysHttpModule {}
