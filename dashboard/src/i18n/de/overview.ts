import type { Translation } from '../catalogue';

export default {
  title: 'Übersicht',
} satisfies Translation['overview'];
