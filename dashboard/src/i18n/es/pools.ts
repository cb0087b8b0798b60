import type { Translation } from '../catalogue';

export default {
  title: 'Grupos',
} satisfies Translation['pools'];
