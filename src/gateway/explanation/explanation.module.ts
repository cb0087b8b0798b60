import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { WebhooksModule } from '../../webhooks/webhooks.module';
import { ExplanationController } from './explanation.controller';
import { ExplanationService } from './explanation.service';
import { MessageFactsReader } from './message-facts.service';

/** What became of a message. A module of its own, because it needs webhooks, which know nothing of the gateway. */
@Module({
  imports: [AuthModule, DevicesModule, MessagesModule, WebhooksModule],
  controllers: [ExplanationController],
  providers: [ExplanationService, MessageFactsReader],
  exports: [ExplanationService],
})
export class ExplanationModule {}
