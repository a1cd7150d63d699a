// Package wire speaks the MySQL protocol with clients and hands their
// statements to a Gateway. It is the only place that turns results and errors
// into the types of the protocol library. It knows nothing of SQL beyond where
// one statement ends and the next begins.
//
//	client --TCP--> packetConn --> mysql.Listener --> handler --> Session.Execute
//	                    |             (library)         |
//	          what the library gets wrong:       results, errors, status flags
//	          prepared statements' parameters,   and warnings on their way back
//	          COM_CHANGE_USER, COM_RESET_CONNECTION
//
// Start reading at gateway.go (what wire asks of the gateway), then handler.go.
package wire
