/** What a gateway does beside passing on while it is measured, a few words for each, as the table has them. */
export interface SwitchedOn {
  keys: string;
  limits: string;
  metering: string;
  database: string;
}

/** Where a gateway runs, and whom it asks. */
export interface PeerSite {
  /** The folder that its packages are in. */
  folder: string;
  port: number;
  /** The simulated provider, in OpenAI's format, up to `/chat/completions`. */
  providerBaseUrl: string;
}

/** How it is started. `files` are written into its folder first, by name. */
interface PeerCommand {
  program: string;
  args: string[];
  environment: Record<string, string>;
  files?: Record<string, string>;
}

/** A gateway of others, of one version, as its makers publish it. */
export interface Peer {
  /** With its version. */
  name: string;
  on: SwitchedOn;
  /** Puts its packages into a folder. @throws AbsentError where they cannot be had here */
  install: (folder: string) => Promise<void>;
  command: (site: PeerSite) => PeerCommand;
  /** With what `POST /v1/chat/completions` is asked of it. */
  request: (site: PeerSite) => { headers: Record<string, string>; model: string };
}
