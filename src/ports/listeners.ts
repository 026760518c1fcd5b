// Processes of this machine that listen on a port. Only what the user of this process may see and end; never Pawl itself, nor who started it.
export interface Listeners {
  /** Throws a FaultError ("listeners-unknown") where this machine cannot say. */
  on(port: number): Promise<Listener[]>;
  /** TERM, a while, KILL. True once it is gone; false where it may not be ended. Must not throw. */
  end(listener: Listener, signal: AbortSignal): Promise<boolean>;
}
export interface Listener {
  pid: number;
  /** The program with its arguments, blanks between them. */
  commandLine: string;
  /** With the pid it names one process for good. */
  startedAt: string;
}
