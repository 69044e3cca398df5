#if !os(Windows) && !os(WASI)
  import SerialTasksFenced
  import Testing

  /// The counter, and the names of files: values.
  @Suite struct LockFileTests {
    /// A crash at each byte of each write.
    ///
    /// Fails if: a torn write makes the counter fall, rise too far or unreadable.
    @Test func aTornWriteNeverLowersTheCounter() throws {
      var file = FenceCounter(startingAfter: 41).file
      var counter = try #require(FenceCounter(file))
      #expect(counter.number == 41)
      for _ in 1...4 {
        let (next, offset) = (counter.next, counter.nextSlot * FenceCounter.slotSize)
        for length in Array(0...48) + Array(stride(from: 49, through: next.count, by: 31)) + [next.count] {
          var torn = file
          torn.replaceSubrange(offset..<(offset + length), with: next.prefix(length))
          let number = try #require(FenceCounter(torn)?.number, "torn after \(length) bytes")
          #expect(number == counter.number || number == counter.number + 1)
          // Not written at all, but long ago: what lies there may be anything.
          for byte in [0, 0xff] as [UInt8] {
            torn.replaceSubrange(
              (offset + length)..<(offset + next.count), with: repeatElement(byte, count: next.count - length))
            let number = try #require(FenceCounter(torn)?.number)
            #expect(number == counter.number || number == counter.number + 1)
          }
        }
        file.replaceSubrange(offset..<(offset + next.count), with: next)
        let after = try #require(FenceCounter(file))
        #expect(after.number == counter.number + 1)
        counter = after
      }
    }

    /// A slot that was whole once and is damaged now had given its number.
    ///
    /// Fails if: that number is given again.
    @Test func theNumberOfADamagedSlotIsSkipped() throws {
      var file = FenceCounter(startingAfter: 41).file
      for number in 42...45 as ClosedRange<UInt64> {
        let counter = try #require(FenceCounter(file))
        let offset = counter.nextSlot * FenceCounter.slotSize
        file.replaceSubrange(offset..<(offset + FenceCounter.slotSize), with: counter.next)
        #expect(FenceCounter(file)?.number == number)
        var damaged = file
        damaged[offset] ^= 1
        #expect(FenceCounter(damaged)?.number == number)
      }
    }

    /// Fails if: text that no counter wrote passes for one.
    @Test func onlyCountersAreRead() {
      #expect(FenceCounter([]) == nil)
      #expect(FenceCounter([UInt8](repeating: 0, count: 1_024)) == nil)
      let file = FenceCounter(startingAfter: 7).file
      #expect(FenceCounter(Array(file.dropLast(600))) == nil)
      for bit in 0..<(16 * 8) {
        var damaged = file
        for slot in [0, FenceCounter.slotSize] { damaged[slot + bit / 8] ^= 1 << UInt8(bit % 8) }
        #expect(FenceCounter(damaged) == nil)
      }
    }

    /// Fails if: the hash is not SHA-256.
    @Test func hashesAreThoseOfTheStandard() {
      func hex(_ text: String) -> String {
        SHA256.digest(of: Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      #expect(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
      #expect(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      #expect(
        hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
          == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
      #expect(
        hex(String(repeating: "a", count: 1_000)) == "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3")
    }
  }
#endif
