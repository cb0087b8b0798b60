import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { STOP_SCOPES, type StopScope } from '../../../auth/accounts/consent-settings';
import { CONSENT_LANGUAGES, type ConsentLanguage } from '../../words/languages/word-list';
import type { ConsentSettings } from '../consent-settings';

const OwnKeywords = (description: string, example: string): PropertyDecorator =>
  ApiProperty({ type: [String], description, example: [example] });

class KeywordsResponse {
  @OwnKeywords('Words that block', 'genug')
  out!: string[];

  @OwnKeywords('Words that lift a block', 'weiter')
  in!: string[];

  @OwnKeywords('Words that ask for help', 'wer')
  help!: string[];
}

export class ConsentSettingsResponse {
  @ApiProperty({
    description: 'Whether texts are read and blocks are obeyed; off for accounts that were not asked yet',
  })
  enabled!: boolean;

  @ApiProperty({
    description:
      'Whether the owner has decided about enabled; false for accounts that are older than this setting',
  })
  asked!: boolean;

  @ApiProperty({
    enum: STOP_SCOPES,
    enumName: 'StopScope',
    description: 'What a person stops who asks for no more messages',
    example: 'undeclared',
  })
  stopCovers!: StopScope;

  @ApiProperty({
    enum: CONSENT_LANGUAGES,
    enumName: 'ConsentLanguage',
    isArray: true,
    description: 'Languages whose words are understood beside STOP, START and HELP',
    example: ['en', 'es'],
  })
  languages!: ConsentLanguage[];

  @ApiProperty({ description: 'Words of the account' })
  keywords!: KeywordsResponse;

  @ApiPropertyOptional({ description: 'Who writes, in automatic replies', example: 'Bike Shop' })
  senderName?: string;

  @ApiPropertyOptional({
    description: 'How to reach them, in automatic replies',
    example: '+44 20 7946 0000',
  })
  contact?: string;

  @ApiProperty({
    description:
      'Whether STOP, and a START that lifts a block, are confirmed, once senderName and contact are set',
  })
  confirmation!: boolean;
}

export function toConsentSettingsResponse(settings: ConsentSettings): ConsentSettingsResponse {
  const { enabled, asked, stopCovers, languages, keywords, senderName, contact, confirmation } = settings;
  return {
    enabled,
    asked,
    stopCovers,
    languages: [...languages],
    keywords: { out: [...keywords.out], in: [...keywords.in], help: [...keywords.help] },
    senderName,
    contact,
    confirmation,
  };
}
