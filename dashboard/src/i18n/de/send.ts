import type { Translation } from '../catalogue';

export default {
  title: 'Senden',
} satisfies Translation['send'];
