import Foundation

/// An authority, and a certificate of it, for this machine or others.
package struct Authority {
  private let folder = ServerProcess("certificates")
  package var authority: String { "\(folder.folder)/authority.pem" }
  package var certificate: String { "\(folder.folder)/own.pem" }
  package var key: String { "\(folder.folder)/own.key" }

  package init(names: String = "IP:127.0.0.1,DNS:localhost") throws {
    let script = """
      cd \(folder.folder)
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority \
        -keyout authority.key -out authority.pem
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=own -keyout own.key -out own.csr
      printf 'subjectAltName=\(names)\\nextendedKeyUsage=serverAuth,clientAuth\\n' >extensions
      openssl x509 -req -in own.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 \
        -extfile extensions -out own.pem
      """
    if try ServerProcess.run("/bin/bash", ["-ec", script]) != 0 { throw CocoaError(.fileWriteUnknown) }
  }

  package func remove() { folder.remove() }
}
