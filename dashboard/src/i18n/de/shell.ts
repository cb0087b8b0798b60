import type { Translation } from '../catalogue';

export default {
  product: 'Messaging Gateway',
  navigation: 'Seiten',
  openNavigation: 'Menü öffnen',
  skipToContent: 'Zum Inhalt springen',
  palette: 'Zu einer Seite oder Aktion',
  paletteHint: 'Suchen oder / drücken',
  nothingFound: 'Nichts gefunden',
  signOut: 'Abmelden',
  apiDocumentation: 'API-Dokumentation',
  preferences: 'Einstellungen',
  colorScheme: 'Darstellung',
  light: 'Hell',
  dark: 'Dunkel',
  automatic: 'Wie das System',
  language: 'Sprache',
  timeZone: 'Zeitzone',
  accountMenu: 'Konto und Einstellungen',
  newMessage: 'Neue Nachricht',
} satisfies Translation['shell'];
